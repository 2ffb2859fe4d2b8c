import { isOAuthScope, type consent } from '@roadstead/contracts/identity';
import type { Handlers } from '@roadstead/http';
import { Problem, problemOf } from '@roadstead/kit';
import type { Interaction, InteractionRequest, Interactions } from '../pages/oauth-ports.ts';
import { entering } from '../pages/console-rules.ts';
import { clientNameOf } from '../pages/client-rules.ts';
import { consentPage, workspacePage } from '../pages/consent-page.ts';
import { offerOf } from '../pages/consent-rules.ts';
import { signInPage } from '../pages/sign-in-page.ts';
import { goTo, orErrorPage, pageAnswer, signInFault, statusAnd } from './answers.ts';
import { readForm } from './form.ts';
import { beganAt } from './session-cookie.ts';
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
  /** At the console nothing is left to decide once somebody signed in. */
  const signIn = async (fields: URLSearchParams, { asked, address, interaction }: SigningIn) => {
    const { headers } = asked;
    const { session_id, subjects, cookies } = await visitors.signIn(fields, { headers, address });
    const [first] = subjects;
    if (!interaction.client.is_console || first === undefined) return goTo(addressOf(interaction), cookies);
    const { id: subject } = entering(subjects, interaction.workspace_id) ?? first;
    return goTo((await interactions.finish(asked, { subject, session_id })).location, cookies);
  };
  const show = (shown: Omit<InteractionView, 'visitors'>) => answer({ ...shown, visitors });
  return {
    readConsentPage: async ({ params, query, request: { headers } }) =>
      orErrorPage(async () => {
        const asked = { id: params.interaction_id, headers };
        const interaction = await open(asked);
        const visitor = await visitors.read(headers);
        const entrance = entranceOf(interaction, visitor);
        // Who signed in for it, at the company, is asked no more.
        const is_fresh = beganAt(visitor.session) >= interaction.began_ms;
        if (entrance !== undefined && (is_fresh || !interaction.wants_sign_in))
          return goTo((await interactions.finish(asked, entrance)).location);
        return show({ interaction, visitor, workspace_id: query.workspace });
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
              return await signIn(fields, { asked, address, interaction });
            case 'sign-out':
              return goTo(here, [await visitors.signOut(visitor.session)]);
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

interface SigningIn {
  readonly asked: InteractionRequest;
  readonly address: string;
  readonly interaction: Interaction;
}

/** How somebody who is signed in enters the console; undefined for an application, or where they must sign in. */
function entranceOf({ client, workspace_id }: Interaction, { session, subjects }: Visitor) {
  const subject = client.is_console ? entering(subjects, workspace_id) : undefined;
  return subject === undefined || session.id === null
    ? undefined
    : { subject: subject.id, session_id: session.id };
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
    company_name: visitors.company_name,
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
  if (first === undefined || client.is_console)
    return pageAnswer(
      signInPage({ ...common, client_name: client.is_console ? undefined : clientNameOf(client), name }),
      status,
    );
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
