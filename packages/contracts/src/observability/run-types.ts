/**
 * The types of runs. They have a file of their own: the thread that takes traces in needs no other part of the
 * contract.
 */
export const runTypes = ['tool', 'chain', 'llm', 'retriever', 'embedding', 'prompt', 'parser'] as const;
