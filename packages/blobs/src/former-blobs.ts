import type { Blobs } from './blobs.ts';

/**
 * Blobs of which some lie where all lay before. New ones go to the new place only. Whoever moves one writes it there before
 * it is removed here, so what neither place seems to have is looked for in the new one again.
 */
export function withFormer(blobs: Blobs, former: Blobs): Blobs {
  return {
    put: (bytes, limits) => blobs.put(bytes, limits),
    get: async (digest, range) =>
      (await blobs.get(digest, range)) ??
      (await former.get(digest, range)) ??
      (await blobs.get(digest, range)),
    has: async (digest) =>
      (await blobs.has(digest)) || (await former.has(digest)) || (await blobs.has(digest)),
    delete: async (digest) => {
      await former.delete(digest);
      await blobs.delete(digest);
    },
    list: async function* list() {
      yield* former.list();
      yield* blobs.list();
    },
    removeAbandoned: async () => {
      await former.removeAbandoned();
      await blobs.removeAbandoned();
    },
    // What is still in the former place may be gone from there before it is fetched.
    address: async (digest, headers) =>
      (await blobs.has(digest)) ? blobs.address(digest, headers) : undefined,
  };
}
