import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { useActingProvider } from './acting-provider.ts';
import { actsForUsers } from './acting-story.ts';

/** Users let agents act for them at an OAuth provider, from within a graph. The proof has one in Python, and the original’s client library. */

const provider = useActingProvider();

test('when a graph asks for consent by an interrupt, then it goes on over A2A once it has it', async () => {
  const what = [fileURLToPath(new URL('../agents/acting', import.meta.url))];
  const answer = await actsForUsers(provider, { name: 'acting', what });
  expect(answer).toMatch(/^mail of anna by a token of \d+ characters$/);
}, 240_000);
