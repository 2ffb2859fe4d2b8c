import { expect, test } from 'vitest';
import { shownCheckpoint } from './stream-rules.ts';

test('when a checkpoint is shown, then what auth says of the user is left out', () => {
  const place = {
    configurable: {
      thread_id: 't',
      mine: 1,
      langgraph_auth_user: { identity: 'ali', token: 'secret' },
      langgraph_auth_user_id: 'ali',
      langgraph_auth_permissions: ['read'],
    },
  };
  const shown = shownCheckpoint({ config: place, parentConfig: place, tasks: [] });
  const seen = { configurable: { thread_id: 't', mine: 1 } };
  expect(shown).toMatchObject({ config: seen, parent_config: seen });
  expect(JSON.stringify(shown)).not.toContain('secret');
});
