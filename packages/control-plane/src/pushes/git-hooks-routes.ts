import { gitHooks as contract, type gitHooks } from '@roadstead/contracts/control-plane';
import { type Handlers, readBytes } from '@roadstead/http';
import { parseJson } from '@roadstead/json';
import { Problem } from '@roadstead/kit';
import type { Context } from '../context/context.ts';
import { webhookRowOf } from '../git-hosts/credential-rules.ts';
import { findIntegration, noIntegration } from '../integrations/integration-store.ts';
import { digestOf, isSigned } from './hook-signature.ts';
import { markReceived } from './hook-store.ts';
import { applyDelivery } from './hook-work.ts';
import { readPayload } from './payload-rules.ts';

type HookHandlers = Handlers<typeof gitHooks>;

const MAX_BYTES = contract.receivePush.max_body_bytes ?? 0;

/** The sender has no key: the signature over every byte is the permission. */
export function hookHandlers(context: Context): HookHandlers {
  const { db, secret_box } = context;
  return {
    receivePush: async ({ params, request }) => {
      const body = await readBytes(request, { max_bytes: MAX_BYTES });
      const { headers } = request;
      const integration = await findIntegration(db, params.integration_id);
      const secret =
        integration === undefined
          ? 'nobody’s'
          : secret_box.open(integration.webhook_secret_sealed, webhookRowOf(integration.id));
      const delivery = { headers, body, now_s: Date.now() / 1000 };
      const isAuthentic = isSigned(integration?.kind ?? 'generic', delivery, { secret });
      if (integration === undefined) throw noIntegration();
      if (!isAuthentic)
        throw new Problem('unauthenticated', 'The signature is not this integration’s, or is too old.', {
          hint: 'Give the host the webhook_secret of the integration; PATCH rotate_webhook_secret draws a new one.',
        });
      await markReceived(db, integration.id);
      const payload = readPayload(integration.kind, {
        event: eventOf(headers),
        body: await parseJson(jsonOf(headers, body)),
      });
      if (payload.kind !== 'push') return new Response(null, { status: 204 });
      const receipt = await applyDelivery(context, {
        integration,
        payload,
        digest: digestOf(integration.kind, { headers, body }),
      });
      return Response.json(receipt, { status: 202 });
    },
  };
}

const eventOf = (headers: Headers) =>
  headers.get('x-github-event') ?? headers.get('x-gitea-event') ?? headers.get('x-forgejo-event') ?? '';

/** Some hosts send the payload as a field of a form, and sign the form. */
function jsonOf(headers: Headers, body: Buffer): Buffer {
  const isForm = (headers.get('content-type') ?? '').startsWith('application/x-www-form-urlencoded');
  return isForm ? Buffer.from(new URLSearchParams(body.toString()).get('payload') ?? '') : body;
}
