import type { Attempt, Permission } from './caller.ts';
import { Problem } from '@roadstead/kit';

/** A key bound to a subject sees what it made, and assistants, which are there for all. */

/** The metadata field that names the subject for whom something was made. */
const SUBJECT_FIELD = 'roadstead_subject';

const MAKING = ['create', 'update', 'create_run'];

/** @throws Problem `forbidden` */
export function permitSubject(subject: string, { resource, action, value }: Attempt): Permission {
  if (resource === 'store') return permitNamespace(subject, value);
  if (resource === 'assistants' && !MAKING.includes(action) && action !== 'delete')
    return { value, filters: null };
  const own = { [SUBJECT_FIELD]: subject };
  const stamped = MAKING.includes(action)
    ? { ...value, metadata: { ...(value['metadata'] as object | null), ...own } }
    : value;
  return { value: stamped, filters: own };
}

/** A label holds no dots, because clients join labels by them. */
const subjectLabel = (subject: string) => subject.replaceAll('%', '%25').replaceAll('.', '%2E');

function permitNamespace(subject: string, value: Attempt['value']): Permission {
  const label = subjectLabel(subject);
  const namespace = value['namespace'];
  if (!Array.isArray(namespace) || namespace[0] !== label)
    throw new Problem('forbidden', 'This key is bound to a subject: it reaches its own namespaces only.', {
      hint: `They begin with ${JSON.stringify(label)}.`,
    });
  return { value, filters: null };
}
