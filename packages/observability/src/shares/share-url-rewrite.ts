import type { RequestHandler } from '@roadstead/http';

const unmarked = /^([^?#]*\/public\/[^/?#]+\/runs)([^/?#]+=[^?#]*)$/;

/** Restores the `?` that the SDK for JavaScript omits behind `/public/{token}/runs`. */
export function rewriteShareUrls(served: RequestHandler): RequestHandler {
  return {
    fetch: async (request, inward) => {
      const [, path, query] = unmarked.exec(request.url) ?? [];
      const rewritten = path === undefined ? request : new Request(`${path}?${query}`, request);
      return inward === undefined ? served.fetch(rewritten) : served.fetch(rewritten, inward);
    },
  };
}
