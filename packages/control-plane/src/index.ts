export {
  CONTROL_PLANE_SCHEMA,
  type ControlPlaneOptions,
  type ControlPlaneService,
  startControlPlane,
} from './control-plane.ts';
