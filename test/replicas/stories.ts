/** Which stories are told against two of everything as well, and why the others are not. */

/** These need a platform, and nothing of how it was started. */
export const REPLICATED_STORIES = [
  'acting-for-users.proof.test.ts',
  'acting-for-users.test.ts',
  'assistant.test.ts',
  'changed-language.proof.test.ts',
  'command-line.test.ts',
  'foreign-agents.proof.test.ts',
  'langgraph-clients.proof.test.ts',
  'langgraph-clients.test.ts',
  'original-clients.proof.test.ts',
  'own-auth.test.ts',
  'python-templates.proof.test.ts',
  'templates.proof.test.ts',
  'trace-replay.test.ts',
  'web-sockets.test.ts',
] as const;

export const OTHER_STORIES: Readonly<Record<string, string>> = {
  'backup.test.ts': 'backs up the data folder of `up`, and restores into one',
  'first-hour.test.ts': 'is about `up` itself: its example, its output, its folder and its port',
  'hostile-agent.test.ts':
    'looks at all processes and ports below one `up`; what fences agents is the data plane alone',
  'refusals.test.ts': 'is about what keeps `up` from starting',
  'shared-agents.test.ts': 'starts its own processes, two data planes behind one edge',
  'services-apart.test.ts': 'starts each service itself, one of each',
};
