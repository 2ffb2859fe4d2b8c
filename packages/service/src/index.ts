export * from './credentials.ts';
export * from './fetched-keys.ts';
export * from './identity-client.ts';
export * from './run-service.ts';
export * from './service-calls.ts';
export * from './service-database.ts';
export * from './service-settings.ts';
export * from './stop-signal.ts';
