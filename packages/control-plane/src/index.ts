export {
  CONTROL_PLANE_SCHEMA,
  type ControlPlaneOptions,
  type ControlPlaneService,
  startControlPlane,
} from './control-plane.ts';
export { binDaysSetting, controlPlaneProgram } from './control-plane-program.ts';
export { createNeighbours } from './neighbours.ts';
