import type { SourceConfig } from '@roadstead/contracts/control-plane';

/** The starting point of tests of git deployments. */

const REPOSITORY = 'https://git.example.com/acme/agent.git';

/** A commit id, made up. */
export const sha = (number: number) => number.toString(16).padStart(40, '0');

export const gitRequest = (name: string, source_config: SourceConfig = {}) => ({
  name,
  source: 'git' as const,
  source_config: { repo_url: REPOSITORY, ...source_config },
  source_revision_config: { repo_ref: 'main', langgraph_config_path: 'langgraph.json' },
  secrets: [],
});
