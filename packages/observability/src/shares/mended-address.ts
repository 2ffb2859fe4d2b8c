import type { RequestHandler } from '@roadstead/kit';

const unmarked = /^([^?#]*\/public\/[^/?#]+\/runs)([^/?#]+=[^?#]*)$/;

/** The SDK for JavaScript forgets the `?` behind `/public/{token}/runs`. */
export function mendingAddresses(served: RequestHandler): RequestHandler {
  return {
    fetch: async (request, inward) => {
      const [, path, query] = unmarked.exec(request.url) ?? [];
      const mended = path === undefined ? request : new Request(`${path}?${query}`, request);
      return inward === undefined ? served.fetch(mended) : served.fetch(mended, inward);
    },
  };
}
