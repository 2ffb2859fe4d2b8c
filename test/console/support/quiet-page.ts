import type { Page, Request } from 'playwright-core';
import { expect } from 'vitest';

/** Follows what a page asks; answers a wait until everything is answered. Streams of events are, once they have begun. */
export function watchRequests(page: Page): () => Promise<void> {
  const under_way = new Set<Request>();
  const end = (request: Request) => void under_way.delete(request);
  page.on('request', (request) => under_way.add(request));
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  page.on('response', (response) => {
    if (response.headers()['content-type']?.startsWith('text/event-stream') === true) end(response.request());
  });
  return async () => {
    await expect.poll(() => [...under_way].map((request) => request.url())).toEqual([]);
  };
}
