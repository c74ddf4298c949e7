// Counts the tries in a store that all workers share, so that each of them sees the same number.

export const WINDOW_SECONDS = 60;
export const LIMIT = 5;

export class StoreDown extends Error {}

export class Limiter {
  constructor(store, now = () => Date.now() / 1000) {
    this.store = store;
    this.now = now;
  }

  // May this address try once more? Throws StoreDown when nobody can tell.
  async allows(address) {
    const slot = Math.floor(this.now() / WINDOW_SECONDS);
    return (await this.store.increment(`${address}:${slot}`, WINDOW_SECONDS)) <= LIMIT;
  }
}
