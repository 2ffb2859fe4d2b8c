/** A manager of LangChain's callbacks, by shape. */
interface Manager {
  addHandler(handler: Handler, inherit?: boolean): void;
}
interface Handler {
  readonly name?: string;
  awaitHandlers?: boolean;
}

const known = new WeakSet<Manager>();

/**
 * LangGraph's own handler that streams messages, told of each piece in step with the model that says it, as LangGraph's newer
 * one is. LangChain would hand each through a queue that all runs of the process have together.
 */
export function streamMessagesInStep({ prototype: manager }: { readonly prototype: Manager }): void {
  if (known.has(manager)) return;
  known.add(manager);
  const { addHandler } = manager;
  manager.addHandler = function (handler, ...more) {
    if (handler.name === 'StreamMessagesHandler') handler.awaitHandlers = true;
    addHandler.call(this, handler, ...more);
  };
}
