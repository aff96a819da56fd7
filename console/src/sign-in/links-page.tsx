import type { CredentialLink } from '@signet/management'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ExportCsv } from '../calls/export-csv.tsx'
import { ButtonLink } from '../design/button.tsx'
import { List } from '../design/list.tsx'
import { Panel } from '../design/page.tsx'
import { useOffsetPage } from '../design/pages.tsx'
import { Empty } from '../design/state.tsx'
import type { Column } from '../design/table.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { ProviderName } from '../providers/provider-mark.tsx'
import { signet } from '../service/signet.ts'
import { useIsAdmin } from '../session/session.ts'
import { DeleteLink } from './delete-link.tsx'
import { Section } from './section.tsx'

/** Those that are open: one that was used, has expired or was deleted is gone. */
export function Component() {
  const query = useOffsetPage()
  const links = useQuery({
    queryKey: ['listCredentialLinks', query],
    queryFn: ({ signal }) => signet.listCredentialLinks({ query, signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <Section
      lead="Through a link, the administrator of a customer enters one credential without a key. It is inactive until you activate it."
      actions={<CreateLink />}
    >
      <Panel
        title="Open links"
        description="A link leaves this list when it is used, expires or is deleted. What was entered through it is under Credentials, and the audit log has both."
        flush
      >
        <List
          query={links}
          actions={<ExportCsv name="links" path="/organizations/sso/oidc/credential-links" />}
          caption="Open links"
          columns={columns}
          empty={none}
          keyOf={({ id }) => id}
        />
      </Panel>
    </Section>
  )
}

function CreateLink() {
  if (!useIsAdmin()) return <Soft>Only admin keys and owners create links.</Soft>
  return (
    <ButtonLink to="/sign-in/links/new" tone="primary" icon="plus">
      Create link
    </ButtonLink>
  )
}

const columns: Column<CredentialLink>[] = [
  { head: 'Provider', cell: ({ provider }) => <ProviderName provider={provider} /> },
  { head: 'Label', cell: ({ label }) => (label ? <ShortText>{label}</ShortText> : <Soft>none</Soft>) },
  { head: 'Created', cell: ({ created_at }) => <Ago at={created_at} /> },
  { head: 'Expires', cell: ({ expires_at }) => <Ago at={expires_at} /> },
  { head: 'Delete', cell: (link) => <DeleteLink link={link} />, align: 'end' },
]

const none = (
  <Empty title="No link is open." icon="link">
    Create one, and send it to the person who administers the customer’s provider.
  </Empty>
)
