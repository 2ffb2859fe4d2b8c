export * from './git-address.ts';
export * from './git-ref.ts';
