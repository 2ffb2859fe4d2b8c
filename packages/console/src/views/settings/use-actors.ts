import { useQuery } from '@tanstack/react-query';
import { people } from '../../api/clients.ts';
import { mayDo } from '../../session/session.ts';

const query = { page_size: 100 };

/**
 * Gives the name of a subject or actor: `key:{id}`, `user:{id}`, … Of a hundred keys and people it is known; of others,
 * and for those who may not see them, what it is.
 */
export function useActors(): (actor: string) => string {
  const enabled = mayDo('keys:admin');
  const keys = useQuery({
    queryKey: ['api-keys', 'names'],
    queryFn: async ({ signal }) => (await people.listApiKeys({ query, signal })).items,
    enabled,
  });
  const users = useQuery({
    queryKey: ['users', 'names'],
    queryFn: async ({ signal }) => (await people.listUsers({ query, signal })).items,
    enabled,
  });
  return (actor) => {
    const [kind = '', id = ''] = actor.split(':');
    const named = kind === 'user' ? users.data : keys.data;
    const name = named?.find((one) => one.id === id)?.name;
    return words[kind]?.(name ?? id.slice(0, 8)) ?? actor;
  };
}

const words: Readonly<Record<string, (name: string) => string>> = {
  key: (name) => `the key ${name}`,
  user: (name) => name,
  oauth: (name) => `an application (${name})`,
  service: (name) => `the service ${name}`,
};
