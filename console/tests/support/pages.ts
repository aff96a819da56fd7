import type { Stage } from './stage.ts'

/** Who looks at a page: an admin key of the furnished organization, a key of it that reads, one of an organization with nothing. */
export type Viewer = 'admin' | 'reader' | 'new' | 'operator' | 'nobody'
export type Address = { viewer: Viewer; path: string }

/**
 * Every page of the console. What stands in braces is an id that the stage has; before a colon stands who looks, an
 * administrator where nothing does.
 */
export const everyPage = `
  nobody: nobody:/link#0123 nobody:/invitation#0123 nobody:/invitation#{invitation} nobody:/nowhere nobody:/o/{organization}/webhooks nobody:/operator/organizations / new:/ /nowhere
  /webhooks new:/webhooks /webhooks/new /webhooks?sort=p95 /webhooks?state=failing /webhooks?name=none /webhooks/{billing} /webhooks/{directory} /webhooks/{warehouse} /webhooks/{scores} /webhooks/{archive} reader:/webhooks/{archive}
  /webhooks/{billing}/triggers /webhooks/{billing}/settings /webhooks/{billing}/receiver-code /webhooks/{claims}/dry-run
  reader:/webhooks/{billing}/settings
  /deliveries new:/deliveries /deliveries?status=pending /deliveries/{directory}/{failed} /deliveries/{billing}/{delivered}
  /events new:/events /events?person_id={developer} /events/{delivered}
  /persons new:/persons /persons/new /persons/{person} /persons/{developer} reader:/persons/{person}
  /groups new:/groups /groups/new /groups/Engineering /groups/Engineering/members
  /sign-in new:/sign-in /sign-in/credentials/new /sign-in/credentials/new/provider_g /sign-in/credentials/new/oidc /sign-in/credentials/{credential}
  /sign-in/applications new:/sign-in/applications /sign-in/applications/new /sign-in/applications/{application}
  /sign-in/applications/{application}/logouts/{logout}
  /sign-in/resources new:/sign-in/resources /sign-in/resources/new /sign-in/resources/{resource}
  /sign-in/directories new:/sign-in/directories reader:/sign-in/directories /sign-in/directories/new /sign-in/directories/{contoso}
  reader:/sign-in/directories/{contoso} /sign-in/directories/{contoso}/groups /sign-in/directories/{contoso}/settings
  nobody:/directory-link#{directoryLink} nobody:/directory-link#0123 /persons/{kept} /groups/Support/members
  /sign-in/links /sign-in/links/new /sign-in/sign-ins new:/sign-in/sign-ins
  /keys reader:/keys /keys/new /keys/verification /audit-log /audit-log?target=Engineering new:/audit-log /settings
  /settings/administrators new:/settings/administrators reader:/settings/administrators /settings/administrators/invite
  new:/settings/administrators/invite /settings/sessions reader:/settings/sessions /groups/Board/members
  operator:/organizations operator:/organizations/new operator:/organizations/processes operator:/organizations/regions
  operator:/organizations/{organization}`
  .trim()
  .split(/\s+/)

export function toAddress(written: string, { names }: Stage): Address {
  const [, viewer = 'admin', path = ''] = /^(?:(\w+):)?(.*)$/.exec(written) ?? []
  const named = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? name))
  return { viewer: viewer as Viewer, path: named }
}
