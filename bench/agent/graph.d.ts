interface Graph {
  invoke(input: object, config?: object): Promise<unknown>;
  stream(input: object, config?: object): Promise<AsyncIterable<unknown>>;
}

/** Repeats what it was told, and remembers nothing. */
export const graph: Graph;
/** The same, to be compiled with a saver. */
export const builder: { compile(options: { readonly checkpointer: object }): Graph };
