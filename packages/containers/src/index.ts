export type { Container, Mount } from './container.ts';
export {
  ContainerEngine,
  type ContainerState,
  type EngineFacts,
  type RegistryAuth,
} from './container-engine.ts';
export { demultiplex } from './demultiplex.ts';
export { EngineRefusal } from './engine-request.ts';
export { findEngineSocket } from './engine-socket.ts';
export { type ImageFacts, imageFactsOf } from './image.ts';
export type { ImageCheck } from './image-check.ts';
