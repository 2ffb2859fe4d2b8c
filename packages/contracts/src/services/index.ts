export * from './origin-routes.ts';
export * from './services.ts';
