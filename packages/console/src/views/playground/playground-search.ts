/** What the playground shows: a prompt and its commit, the model that is asked, and the experiment that runs. */
export interface PlaygroundSearch {
  readonly prompt?: string;
  readonly commit?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly experiment?: string;
}

export const searchNames = ['prompt', 'commit', 'provider', 'model', 'experiment'] as const;
