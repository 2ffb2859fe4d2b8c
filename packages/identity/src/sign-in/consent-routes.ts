import { isOAuthScope, type consent } from '@roadstead/contracts/identity';
import type { Handlers } from '@roadstead/http';
import { Problem, problemOf } from '@roadstead/kit';
import type { Interaction, InteractionRequest, Interactions } from '../pages/oauth-ports.ts';
import { clientNameOf } from '../pages/client-rules.ts';
import { consentPage, workspacePage } from '../pages/consent-page.ts';
import { offerOf } from '../pages/consent-rules.ts';
import { signInPage } from '../pages/sign-in-page.ts';
import { goTo, orErrorPage, pageAnswer, signInFault, statusAnd } from './answers.ts';
import { readForm } from './form.ts';
import type { Visitor, Visitors } from './visitor.ts';

export interface ConsentRoutesOptions {
  readonly visitors: Visitors;
  readonly interactions: Interactions;
}

/** The page of one authorization, on which a person signs in, chooses a workspace, and allows or denies. */
export function consentHandlers({ visitors, interactions }: ConsentRoutesOptions): Handlers<typeof consent> {
  const open = async (asked: InteractionRequest): Promise<Interaction> => {
    const interaction = await interactions.read(asked);
    if (interaction === undefined)
      throw new Problem('not_found', 'This sign-in has ended, or was begun in another browser.', {
        hint: 'Return to the application and start again.',
      });
    return interaction;
  };
  const show = (shown: Omit<InteractionView, 'visitors'>) => answer({ ...shown, visitors });
  return {
    readConsentPage: async ({ params, query, request: { headers } }) =>
      orErrorPage(async () => {
        const interaction = await open({ id: params.interaction_id, headers });
        return show({ interaction, visitor: await visitors.read(headers), workspace_id: query.workspace });
      }),
    submitConsentPage: async ({ params, request, address }) =>
      orErrorPage(async () => {
        const { headers } = request;
        const asked = { id: params.interaction_id, headers };
        const interaction = await open(asked);
        const visitor = await visitors.read(headers);
        const fields = await readForm(request, { ...visitors, ...visitor.session });
        const here = addressOf(interaction);
        const again = { interaction, visitor, workspace_id: fields.get('workspace') ?? undefined };
        const name = fields.get('name') ?? undefined;
        try {
          switch (fields.get('do') ?? '') {
            case 'sign-in':
              return goTo(here, await visitors.signIn(fields, { headers, address }));
            case 'sign-out':
              return goTo(here, [visitors.cookies.signedIn([])]);
            case 'deny':
              return goTo((await interactions.finish(asked, 'denied')).location);
            case 'allow':
              return goTo((await interactions.finish(asked, consentIn(fields, visitor))).location);
            default:
              throw new Problem('invalid', 'Choose one of the buttons.');
          }
        } catch (error) {
          const problem = problemOf(error);
          if (problem === undefined || problem.kind === 'not_found') throw error;
          return show({ ...again, name, problem });
        }
      }),
  };
}

function consentIn(fields: URLSearchParams, { subjects }: Visitor) {
  const workspace_id = fields.get('workspace');
  const subject = subjects.find(({ workspace }) => workspace.id === workspace_id);
  if (subject === undefined)
    throw new Problem('forbidden', 'You were signed out meanwhile, or do not reach this workspace.');
  const scopes = fields.getAll('scope').filter(isOAuthScope);
  if (scopes.length === 0) throw new Problem('invalid', 'Nothing is ticked. Tick what it may do, or deny.');
  return { subject: subject.id, scopes };
}

const addressOf = ({ id }: Interaction) => `/oauth/interaction/${encodeURIComponent(id)}`;

interface InteractionView {
  readonly visitors: Visitors;
  readonly interaction: Interaction;
  readonly visitor: Visitor;
  readonly workspace_id: string | undefined;
  /** The name that was typed. */
  readonly name?: string | undefined;
  readonly problem?: Problem;
}

/** The next page: a person who is not signed in signs in, and one who reaches several workspaces chooses. */
function answer({ visitors, interaction, visitor, workspace_id, name, problem }: InteractionView): Response {
  const { client, asked } = interaction;
  const { session, subjects } = visitor;
  const common = {
    action: addressOf(interaction),
    form_token: session.form_token,
    fault: problem === undefined ? undefined : signInFault(problem),
  };
  const status = {
    ...(problem === undefined ? {} : statusAnd(problem)),
    cookies: [visitors.cookies.write(session)],
    leads_to: client.redirect_uri ?? undefined,
  };
  const [first] = subjects;
  if (first === undefined)
    return pageAnswer(signInPage({ ...common, client_name: clientNameOf(client), name }), status);
  const is_only_workspace = subjects.length === 1;
  const chosen = is_only_workspace ? first : subjects.find(({ workspace }) => workspace.id === workspace_id);
  const shared = { ...common, client, signed_in_as: first.name };
  if (chosen === undefined)
    return pageAnswer(
      workspacePage({ ...shared, workspaces: subjects.map(({ workspace }) => workspace) }),
      status,
    );
  const offer = offerOf(asked, chosen.scopes);
  return pageAnswer(
    consentPage({ ...shared, workspace: chosen.workspace, is_only_workspace, offer }),
    status,
  );
}
