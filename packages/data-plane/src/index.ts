export { type DataPlaneOptions, startDataPlane } from './data-plane.ts';
export { dataPlaneSettings } from './data-plane-config.ts';
export { runDataPlane } from './run-data-plane.ts';
export { planProjectImage, type ProjectImageOptions } from './builders/plan-project-image.ts';
export { databaseNameOf, openSharedDatabases } from './databases/databases.ts';
export { ENGINE_SCHEMA, engineMigrations } from '@roadstead/agent-server';
