import type { OAuthScope } from '@roadstead/contracts/identity';

/** What each scope lets an application do, for people who have never heard of scopes. */
export const scopeSentences: Readonly<Record<OAuthScope, { readonly what: string; readonly means: string }>> =
  {
    'traces:read': {
      what: 'Read traces',
      means: 'everything that agents were asked and answered, with their tool calls and errors',
    },
    'datasets:read': { what: 'Read datasets and experiments', means: 'examples, and how agents did on them' },
    'feedback:read': { what: 'Read feedback', means: 'scores and comments on runs' },
    'prompts:read': { what: 'Read prompts', means: 'every version of them' },
    'usage:read': { what: 'Read usage', means: 'how much was traced, and when' },
    'deployments:read': {
      what: 'Read deployments',
      means: 'which agents run, their revisions and logs, but no secrets',
    },
    'prompts:write': { what: 'Change prompts', means: 'agents that pull a prompt may behave differently' },
    'datasets:write': {
      what: 'Change datasets and start experiments',
      means: 'add and edit examples, and run agents over them',
    },
    'agents:invoke': {
      what: 'Send messages to agents',
      means: 'in your name; what an agent does then depends on the agent',
    },
  };
