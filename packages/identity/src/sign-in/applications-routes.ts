import type { Grant, applications } from '@roadstead/contracts/identity';
import type { Handlers } from '@roadstead/http';
import { Problem, problemOf } from '@roadstead/kit';
import { applicationsPage } from '../pages/applications-page.ts';
import { signInPage } from '../pages/sign-in-page.ts';
import { goTo, orErrorPage, pageAnswer, signInFault, statusAnd } from './answers.ts';
import { readForm } from './form.ts';
import type { Subject } from '../records/subject-work.ts';
import type { Visitor, Visitors } from './visitor.ts';

export interface ApplicationRoutesOptions {
  readonly visitors: Visitors;
  readonly listGrants: (subject: Subject) => Promise<readonly Grant[]>;
  readonly revokeGrant: (grant: Pick<Grant, 'id'>) => Promise<unknown>;
}

const HERE = '/oauth/applications';

/** The applications that a person has authorized, and the way to revoke them. */
export function applicationHandlers({
  visitors,
  listGrants,
  revokeGrant,
}: ApplicationRoutesOptions): Handlers<typeof applications> {
  const grantsOf = async ({ subjects }: Visitor) => {
    const lists = subjects.map(async (subject) =>
      (await listGrants(subject)).map((grant) => ({ ...grant, workspace_name: subject.workspace.name })),
    );
    return (await Promise.all(lists)).flat();
  };
  const show = async (visitor: Visitor, problem?: Problem) => {
    const { session, subjects } = visitor;
    const common = {
      company_name: visitors.company_name,
      action: HERE,
      form_token: session.form_token,
      fault: problem === undefined ? undefined : signInFault(problem),
    };
    const [first] = subjects;
    return pageAnswer(
      first === undefined
        ? signInPage({ ...common, client_name: undefined })
        : applicationsPage({ ...common, signed_in_as: first.name, grants: await grantsOf(visitor) }),
      { ...(problem === undefined ? {} : statusAnd(problem)), cookies: [visitors.cookies.write(session)] },
    );
  };
  return {
    readApplicationsPage: async ({ request }) =>
      orErrorPage(async () => show(await visitors.read(request.headers))),
    submitApplicationsPage: async ({ request, address }) =>
      orErrorPage(async () => {
        const { headers } = request;
        const visitor = await visitors.read(headers);
        const fields = await readForm(request, { ...visitors, ...visitor.session });
        try {
          switch (fields.get('do') ?? '') {
            case 'sign-in':
              return goTo(HERE, (await visitors.signIn(fields, { headers, address })).cookies);
            case 'sign-out':
              return goTo(HERE, [await visitors.signOut(visitor.session)]);
            case 'revoke': {
              const grant = (await grantsOf(visitor)).find(({ id }) => id === fields.get('grant'));
              if (grant !== undefined) await revokeGrant(grant);
              return goTo(HERE);
            }
            default:
              throw new Problem('invalid', 'Choose one of the buttons.');
          }
        } catch (error) {
          const problem = problemOf(error);
          if (problem === undefined) throw error;
          return show(visitor, problem);
        }
      }),
  };
}
