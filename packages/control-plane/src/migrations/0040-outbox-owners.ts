import { outboxOwnersMigration } from '@roadstead/outbound';

export const outboxOwners = outboxOwnersMigration(40);
