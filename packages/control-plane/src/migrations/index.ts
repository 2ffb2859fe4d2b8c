import type { Migration } from '@roadstead/postgres';
import { initial } from './0001-initial.ts';
import { logFacts } from './0002-log-facts.ts';
import { images } from './0003-images.ts';
import { git } from './0004-git.ts';
import { authService } from './0006-auth-service.ts';
import { eventsInOrder } from './0007-events-in-order.ts';
import { resourceLimits } from './0009-resource-limits.ts';
import { names } from './0015-names.ts';
import { webhooks } from './0017-webhooks.ts';
import { erasures } from './0027-erasures.ts';
import { outboxOwners } from './0040-outbox-owners.ts';
import { outboxDue } from './0041-outbox-due.ts';
import { imageRegistry } from './0042-image-registry.ts';
import { imageRooms } from './0043-image-rooms.ts';
import { servedNamespaces } from './0044-served-namespaces.ts';
import { chosenNamespaces } from './0045-chosen-namespaces.ts';
import { periodicWork } from './0046-periodic-work.ts';
import { instances } from './0047-instances.ts';
import { unsettled } from './0019-unsettled.ts';

export const migrations: readonly Migration[] = [
  initial,
  logFacts,
  images,
  git,
  authService,
  eventsInOrder,
  resourceLimits,
  names,
  webhooks,
  erasures,
  unsettled,
  outboxOwners,
  outboxDue,
  imageRegistry,
  imageRooms,
  servedNamespaces,
  chosenNamespaces,
  periodicWork,
  instances,
];
