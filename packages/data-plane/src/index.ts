export { type DataPlaneOptions, startDataPlane } from './data-plane.ts';
export { dataPlaneSettings } from './data-plane-config.ts';
export { runDataPlane } from './run-data-plane.ts';
export { planProjectImage, type ProjectImageOptions } from './builders/plan-project-image.ts';
