export {
  CONTROL_PLANE_SCHEMA,
  type ControlPlaneOptions,
  type ControlPlaneService,
  startControlPlane,
} from './control-plane.ts';
export {
  authCallbackPathSetting,
  binDaysSetting,
  controlPlaneProgram,
  gitPollSetting,
} from './control-plane-program.ts';
export { createNeighbours } from './neighbours.ts';
export { resourceDefaults } from './deployments/effective-resources-rules.ts';
export { type FieldRule, fieldRule, fields, remarkOf, sources } from './deployments/source-rules.ts';
