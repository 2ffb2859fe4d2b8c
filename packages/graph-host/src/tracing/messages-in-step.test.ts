import { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { CallbackManager } from '@langchain/core/callbacks/manager';
import { expect, test } from 'vitest';
import { streamMessagesInStep } from './messages-in-step.ts';

class StreamingHandler extends BaseCallbackHandler {
  readonly name = 'StreamMessagesHandler';
  readonly heard: string[] = [];
  override handleLLMNewToken(token: string): void {
    this.heard.push(token);
  }
}
class Other extends StreamingHandler {
  // oxlint-disable-next-line typescript/ban-ts-comment
  // @ts-expect-error -- another handler
  override readonly name = 'other';
}

class InStep extends CallbackManager {}
InStep.prototype.addHandler = CallbackManager.prototype.addHandler;
streamMessagesInStep(InStep);
streamMessagesInStep(InStep);

test('when a model streams a piece, then readers of messages have it before it goes on', async () => {
  const streaming = new StreamingHandler();
  const other = new Other();
  const manager = new InStep();
  manager.setHandlers([streaming, other], true);
  expect([manager.handlers, manager.inheritableHandlers]).toEqual([
    [streaming, other],
    [streaming, other],
  ]);
  expect([streaming.awaitHandlers, other.awaitHandlers]).toEqual([true, false]);
  const copied = manager.copy();
  const [run] = await copied.handleLLMStart({} as never, ['hello']);
  for (const token of ['one', 'two']) await run?.handleLLMNewToken(token);
  expect(streaming.heard).toEqual(['one', 'two']);
});
