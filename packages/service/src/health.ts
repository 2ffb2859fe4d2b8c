import type { IncomingMessage } from 'node:http';
import type { NodeListener } from '@roadstead/http';

/** What a process says of itself at `GET /ok`. */
export interface Health {
  /** Whether it can do its own work; what others behind it can't do is a warning. */
  readonly ready: boolean;
  /** For an operator, as sentences. */
  readonly warnings: readonly string[];
}

/** What answers in front of a service: `GET /ok`, and its leaving. */
export interface FrontDoor {
  readonly listener: NodeListener;
  /**
   * From now on `/ok` answers 503, so that a balancer sends no more, and connections end with their next answer, so
   * that none is closed under a request on its way. Everything else is still answered.
   */
  leave(): void;
}

const asksForHealth = ({ url, method }: IncomingMessage) =>
  url?.split('?', 1)[0] === '/ok' && (method === 'GET' || method === 'HEAD');

export function openFrontDoor(service: {
  readonly listener: NodeListener;
  readonly health: () => Promise<Health>;
}): FrontDoor {
  let is_leaving = false;
  const health = async (): Promise<Health | string> => {
    if (is_leaving) return 'It is being stopped.';
    try {
      const found = await service.health();
      return found.ready ? found : 'It is not ready yet.';
    } catch {
      return 'Its readiness could not be determined.';
    }
  };
  return {
    listener: (request, response) => {
      if (is_leaving) response.setHeader('connection', 'close');
      if (!asksForHealth(request)) return service.listener(request, response);
      void health().then((found) => {
        const [status, body] =
          typeof found === 'string'
            ? [503, { detail: found }]
            : [200, { ok: true, warnings: found.warnings }];
        response.writeHead(status, {
          'content-type': 'application/json',
          ...(status === 503 ? { 'retry-after': '1' } : {}),
        });
        response.end(JSON.stringify(body));
      });
    },
    leave: () => void (is_leaving = true),
  };
}
