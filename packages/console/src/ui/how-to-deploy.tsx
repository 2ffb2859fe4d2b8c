import { at } from '../router/addresses.ts';
import { mayDo } from '../session/session.ts';
import { Snippet } from './copy.tsx';
import { GoTo } from './link.tsx';

/** What somebody does who has no agent yet; whoever may not deploy is told so. */
export const HowToDeploy = () =>
  mayDo('deployments:write') ? (
    <>
      <p>
        <GoTo target={at.newDeployment()}>Deploy one here</GoTo>, from a template, a repository, a folder or
        an image; or from a terminal, in the folder of a project with a <code>langgraph.json</code>:
      </p>
      <Snippet label="Deploy a folder" text={`npx roadstead deploy --url ${location.origin}`} />
    </>
  ) : (
    <p>You may not deploy; a member of the workspace can.</p>
  );
