import { describe } from 'vitest';
import { createClient } from '@roadstead/contracts';
import { controlPlane } from '@roadstead/contracts/control-plane';
import { FakeListener } from '../../packages/control-plane/src/testing/fake-listener.ts';
import { startFixture } from '../../packages/data-plane/src/testing/data-plane-fixture.ts';
import { FakeControlPlane } from '../../packages/data-plane/src/testing/fake-control-plane.ts';
import { listenerSuite, type OpenedListener } from './listener-suite.ts';

describe('the data plane', () => {
  listenerSuite(openReal);
});
describe('the listener that control planes are tested with', () => {
  listenerSuite(openFake);
});

async function openReal(): Promise<OpenedListener> {
  const fixture = await startFixture();
  return {
    control: fixture.control,
    restart: () => fixture.restart(),
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}

async function openFake(): Promise<OpenedListener> {
  const control = await FakeControlPlane.start();
  const client = createClient(controlPlane, {
    base_url: control.url,
    headers: { 'x-api-key': control.listener_key },
  });
  const begin = () => {
    const stop = new AbortController();
    const { listener_id } = control;
    const following = new FakeListener({ client, listener_id, fetch }).follow(stop.signal);
    return { stop, following };
  };
  let life = begin();
  const end = async () => {
    life.stop.abort();
    await life.following;
  };
  return {
    control,
    restart: async () => {
      await end();
      life = begin();
    },
    [Symbol.asyncDispose]: async () => {
      await end();
      await control[Symbol.asyncDispose]();
    },
  };
}
