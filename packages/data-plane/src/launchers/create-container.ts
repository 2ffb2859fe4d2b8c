import { type Container, type ContainerEngine, EngineRefusal } from '@roadstead/containers';

/** Drivers of storage say so in words alone. */
const HAS_NO_BOUND = /storage.?opt/i;

/** Creates a container, without the bound on its disk where the engine stores containers in a way that has none. */
export async function createContainer(
  engine: ContainerEngine,
  { name, container }: { readonly name: string; readonly container: Container },
): Promise<void> {
  const { StorageOpt, ...HostConfig } = container.HostConfig;
  try {
    await engine.create(name, container);
  } catch (error) {
    const isUnbound = error instanceof EngineRefusal && HAS_NO_BOUND.test(error.message);
    if (StorageOpt === undefined || !isUnbound) throw error;
    await engine.create(name, { ...container, HostConfig });
  }
}
