/** What came later than 0.2.0; without tokens a streamed answer is one piece. */
export type Feature = 'interrupt' | 'store' | 'tokens';

/** A set of packages as a project could have locked it. */
export interface LangGraphVersion {
  readonly langgraph: string;
  readonly core: string;
  /** Where the newest that LangGraph accepts is not the one to try. */
  readonly checkpoint?: string;
  readonly lacks?: readonly Feature[];
}

/**
 * The first release of 0.2, those whose locked checkpoint package has no store, and the newest release of each minor
 * version since. Oldest first.
 */
export const langGraphVersions: readonly [LangGraphVersion, ...LangGraphVersion[]] = [
  { langgraph: '0.2.0', core: '0.2.31', checkpoint: '0.0.4', lacks: ['interrupt', 'store', 'tokens'] },
  { langgraph: '0.2.5', core: '0.2.36', checkpoint: '0.0.6', lacks: ['interrupt', 'store', 'tokens'] },
  { langgraph: '0.2.8', core: '0.3.2', checkpoint: '0.0.6', lacks: ['interrupt', 'store', 'tokens'] },
  { langgraph: '0.2.74', core: '0.3.80' },
  { langgraph: '0.3.12', core: '0.3.80' },
  { langgraph: '0.4.10', core: '0.3.80' },
  { langgraph: '1.0.15', core: '1.1.49' },
  { langgraph: '1.1.5', core: '1.1.49' },
  { langgraph: '1.2.9', core: '1.1.49' },
  { langgraph: '1.3.7', core: '1.1.49' },
  { langgraph: '1.4.18', core: '1.2.13' },
  { langgraph: '1.5.3', core: '1.2.18' },
  { langgraph: '1.7.3', core: '1.4.0' },
];
