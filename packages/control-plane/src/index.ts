export {
  CONTROL_PLANE_SCHEMA,
  type ControlPlaneOptions,
  type ControlPlaneService,
  migrateControlPlane,
  startControlPlane,
} from './control-plane.ts';
export {
  authCallbackPathSetting,
  binDaysSetting,
  controlPlaneProgram,
  gitPollSetting,
  imageSettings,
  imagesOf,
} from './control-plane-program.ts';
export { migrations as controlPlaneMigrations } from './migrations/index.ts';
export { listDeploymentIds } from './records/deployment-store.ts';
export { createNeighbours } from './neighbours.ts';
export { resourceDefaults } from './specs/effective-resources-rules.ts';
export { type FieldRule, fieldRule, fields, remarkOf, sources } from './specs/source-rules.ts';
