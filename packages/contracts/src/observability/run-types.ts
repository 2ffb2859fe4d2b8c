/** What a run can be. By itself in a file: the thread that takes traces in needs no other part of the contract. */
export const runTypes = ['tool', 'chain', 'llm', 'retriever', 'embedding', 'prompt', 'parser'] as const;
