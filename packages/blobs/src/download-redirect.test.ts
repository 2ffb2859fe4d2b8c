import { expect, it } from 'vitest';
import type { Blobs } from './blobs.ts';
import { redirectToBlob } from './download-redirect.ts';

const digest = `sha256:${'0'.repeat(64)}`;
const there = { address: async () => 'https://s3.example.com/x?signed', has: async () => true };

it.for([
  { who: 'a program', blobs: there, init: {}, location: 'https://s3.example.com/x?signed' },
  {
    who: 'a browser that opens it',
    blobs: there,
    init: { headers: { 'sec-fetch-mode': 'navigate' } },
    location: 'https://s3.example.com/x?signed',
  },
  { who: 'a script', blobs: there, init: { headers: { 'sec-fetch-mode': 'cors' } } },
  { who: 'an image of a page', blobs: there, init: { headers: { 'sec-fetch-mode': 'no-cors' } } },
  { who: 'who asks for the head', blobs: there, init: { method: 'HEAD' } },
  { who: 'who asks for what is gone', blobs: { ...there, has: async () => false }, init: {} },
  {
    who: 'anybody, where the bucket is at our host',
    blobs: { ...there, address: async () => 'http://agents.test:9000/x' },
    init: {},
  },
  {
    who: 'anybody, where the bucket is below our host',
    blobs: { ...there, address: async () => 'https://s3.agents.test/x' },
    init: {},
  },
  { who: 'anybody, of a folder', blobs: { ...there, address: async () => undefined }, init: {} },
])(
  'when $who reads a blob, then the answer sends it where the bucket lets it',
  async ({ blobs, init, location }) => {
    const request = new Request('http://localhost/blob', init);
    const headers = { content_type: 'image/png' };
    const answer = await redirectToBlob(blobs as unknown as Blobs, {
      digest,
      request,
      public_url: 'https://agents.test',
      headers,
    });
    expect(answer?.headers.get('location') ?? undefined).toBe(location);
    expect(answer?.status).toBe(location && 303);
  },
);
