import type { Credential } from '@signet/management'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ExportCsv } from '../calls/export-csv.tsx'
import { CreateLink } from '../calls/lacking.tsx'
import { ButtonLink } from '../design/button.tsx'
import { Copyable } from '../design/copy.tsx'
import { Filters, SelectFilter, useFilters } from '../design/filters.tsx'
import { List } from '../design/list.tsx'
import { Panel } from '../design/page.tsx'
import { useOffsetPage } from '../design/pages.tsx'
import { Empty } from '../design/state.tsx'
import type { Column } from '../design/table.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { ProviderName } from '../providers/provider-mark.tsx'
import { asProvider, providerNames, providers } from '../providers/providers.ts'
import { signet } from '../service/signet.ts'
import { useIsAdmin } from '../session/session.ts'
import { CredentialState } from './credential-state.tsx'
import { credentialPath } from './paths.ts'
import { Section } from './section.tsx'

const filters = ['oauth_provider'] as const

/** The clients at providers, with which persons sign in. */
export function Component() {
  const page = useOffsetPage()
  const provider = asProvider(useFilters(filters).oauth_provider)
  const query = { ...page, ...(provider && { oauth_provider: provider }) }
  const credentials = useQuery({
    queryKey: ['listOidcCredentials', query],
    queryFn: ({ signal }) => signet.listOidcCredentials({ query, signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <Section
      lead="Clients at identity providers, with which the persons of the organization sign in."
      actions={
        <>
          {useIsAdmin() && (
            <ButtonLink to="/sign-in/links/new" icon="link">
              Link for a customer
            </ButtonLink>
          )}
          <CreateLink to="/sign-in/credentials/new" scope="credentials:write">
            Add credential
          </CreateLink>
        </>
      }
    >
      <Panel flush>
        <Filters names={filters}>
          <SelectFilter
            name="oauth_provider"
            label="Provider"
            options={providerNames.map((name) => [name, providers[name].name])}
          />
        </Filters>
        <List
          query={credentials}
          actions={<ExportCsv name="credentials" path="/organizations/sso/oidc/provider-credentials" query={query} />}
          caption="Credentials"
          columns={columns}
          keyOf={({ client_id }) => client_id}
          linkOf={({ client_id }) => credentialPath(client_id)}
          empty={<NoCredentials isFiltered={provider !== undefined} />}
        />
      </Panel>
    </Section>
  )
}

const columns: Column<Credential>[] = [
  { head: 'Provider', cell: ({ provider }) => <ProviderName provider={provider} /> },
  { head: 'Label', cell: ({ label }) => (label ? <ShortText>{label}</ShortText> : <Soft>none</Soft>) },
  { head: 'Client ID', cell: ({ client_id }) => <Copyable text={client_id} of="client ID" /> },
  { head: 'State', cell: ({ active }) => <CredentialState isActive={active} /> },
]

function NoCredentials({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No credential fits these filters." icon="search" />
  return (
    <Empty title="There are no credentials yet." icon="sign-in">
      Register Signet as a client at a provider, and enter here what it gave you. Persons then sign in there.
    </Empty>
  )
}
