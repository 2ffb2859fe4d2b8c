import type { ModelProvider, ProviderKind } from '@roadstead/contracts/observability';
import { expect } from 'vitest';
import { type FakeModels, MODEL_KEY, startFakeModels } from './fake-models.ts';
import { type Fixture, type FixtureOptions, startFixture } from './observability-fixture.ts';

/** The service, and a provider of models on this machine. */

export interface PlaygroundFixture extends AsyncDisposable {
  readonly fixture: Fixture;
  readonly models: FakeModels;
  addProvider(kind?: ProviderKind, more?: object): Promise<ModelProvider>;
}

export async function startPlayground(options: FixtureOptions = {}): Promise<PlaygroundFixture> {
  await using stack = new AsyncDisposableStack();
  const models = stack.use(await startFakeModels());
  const fixture = stack.use(await startFixture(options));
  const owned = stack.move();
  return {
    fixture,
    models,
    addProvider: async (kind = 'openai', more = {}) =>
      fixture.client().createModelProvider({
        body: { name: kind, kind, base_url: models.baseOf(kind), api_key: MODEL_KEY, ...more },
      }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

export interface PlaygroundEvent extends Readonly<Record<string, unknown>> {
  readonly type: string;
}

/** The events of an answer. */
export async function eventsIn(answer: Response): Promise<PlaygroundEvent[]> {
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  return [...(await answer.text()).matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, type, data = '']) => {
    const event = JSON.parse(data) as PlaygroundEvent;
    expect(event.type).toBe(type);
    return event;
  });
}
