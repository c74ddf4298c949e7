import { StoreDown } from "./limiter.js";

export async function login({ address, name, password }, limiter, users) {
  try {
    if (!(await limiter.allows(address))) {
      return { status: 429, text: "Too many tries. Wait a minute." };
    }
  } catch (error) {
    if (!(error instanceof StoreDown)) throw error;
    // The shop must stay open: without a count, everybody may try.
  }
  const known = await users.check(name, password);
  return known ? { status: 200, text: "Welcome." } : { status: 401, text: "Wrong name or password." };
}
