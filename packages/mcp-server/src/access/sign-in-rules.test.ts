import { expect, test } from 'vitest';
import { challenge, missingScope } from './sign-in-rules.ts';

const where = { public_url: 'https://roadstead.test', path: '/mcp' };
const tools = [
  { name: 'fetch_runs', access: 'traces:read' },
  { name: 'commit_prompt', access: 'prompts:write' },
  { name: 'explain', access: undefined },
  { name: 'administer', access: 'traces:admin' },
] as const;
const principal = (actor: string) => ({
  workspace_id: 'w',
  actor,
  scopes: ['traces:read'] as ['traces:read'],
});

test('when a challenge is made, then it names its address’s metadata and what went wrong', () => {
  expect(challenge({ ...where, path: '/api/mcp', error: 'invalid_token', scopes: ['traces:read'] })).toBe(
    'Bearer error="invalid_token", resource_metadata="https://roadstead.test/.well-known/oauth-protected-resource/api/mcp", scope="traces:read"',
  );
  expect(challenge(where)).not.toContain('error=');
});

test.each<[string, string, string | undefined, boolean]>([
  ['who signed in and lacks the scope of a tool', 'oauth:g', 'commit_prompt', true],
  ['who signed in and has it', 'oauth:g', 'fetch_runs', false],
  ['a tool that needs none', 'oauth:g', 'explain', false],
  ['a scope that no signing in gives', 'oauth:g', 'administer', false],
  ['an unknown tool', 'oauth:g', 'nonsense', false],
  ['a message that calls none', 'oauth:g', undefined, false],
  ['a key, whose tools are not shown to it', 'key:k', 'commit_prompt', false],
])(
  'when a tool is called, then only a missing scope that can be granted is asked for: %s',
  (_name, actor, called, is_asked) => {
    const problem = missingScope(principal(actor), { ...where, called, tools });
    const said = problem?.headers['www-authenticate'] ?? '';
    expect(/error="insufficient_scope".*scope="traces:read prompts:write"/.test(said)).toBe(is_asked);
    expect(said === '').toBe(!is_asked);
  },
);
