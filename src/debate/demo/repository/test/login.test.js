import assert from "node:assert/strict";
import { test } from "node:test";

import { LIMIT, Limiter, StoreDown } from "../limiter.js";
import { login } from "../login.js";

const users = { check: async (name, password) => password === "right" };
const attempt = { address: "203.0.113.7", name: "ada", password: "wrong" };

function store() {
  const counts = new Map();
  return {
    async increment(key) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return counts.get(key);
    },
  };
}

test("one try more than the limit is refused", async () => {
  const limiter = new Limiter(store(), () => 0);
  for (let tries = 0; tries < LIMIT; tries++) {
    assert.equal((await login(attempt, limiter, users)).status, 401);
  }
  assert.equal((await login(attempt, limiter, users)).status, 429);
});

test("while the store is away, everybody may try", async () => {
  const away = { increment: async () => { throw new StoreDown(); } };
  const right = { ...attempt, password: "right" };
  assert.equal((await login(right, new Limiter(away), users)).status, 200);
});
