export { type DataPlaneOptions, startDataPlane } from './data-plane.ts';
export { dataPlaneSettings } from './data-plane-config.ts';
