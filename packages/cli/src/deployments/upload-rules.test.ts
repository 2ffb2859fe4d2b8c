import { expect, test } from 'vitest';
import { uploadAddressOf } from './upload-rules.ts';

test.each([
  ['http://127.0.0.1:4100', 'http://edge.agents.svc:4100/v2/uploads/t', 'http://127.0.0.1:4100/v2/uploads/t'],
  ['https://a.test', 'https://a.test/v2/uploads/t?part=1', 'https://a.test/v2/uploads/t?part=1'],
  [
    'https://a.test',
    'https://bucket.test/sources/t?signature=s',
    'https://bucket.test/sources/t?signature=s',
  ],
])('when the platform is called at %s, then %s is uploaded to at %s', (platform, upload, address) => {
  expect(uploadAddressOf(platform, upload)).toBe(address);
});
