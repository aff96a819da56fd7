import type { Credential } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { ButtonLink } from '../design/button.tsx'
import { Copyable } from '../design/copy.tsx'
import { Filters, SelectFilter, useFilters } from '../design/filters.tsx'
import { Panel } from '../design/page.tsx'
import { OffsetPages, useOffsetPage } from '../design/pages.tsx'
import { Empty, Loaded } from '../design/state.tsx'
import { type Column, Table } from '../design/table.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { ProviderName } from '../providers/provider-mark.tsx'
import { asProvider, providerNames, providers } from '../providers/providers.ts'
import { signet } from '../service/signet.ts'
import { useMay } from '../session/session.ts'
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
  })
  return (
    <Section
      lead="Clients at identity providers, with which the persons of the organization sign in."
      actions={<AddCredential />}
    >
      <Filters names={filters}>
        <SelectFilter
          name="oauth_provider"
          label="Provider"
          options={providerNames.map((name) => [name, providers[name].name])}
        />
      </Filters>
      <Panel flush>
        <Loaded query={credentials}>
          {({ result, meta }) => (
            <>
              <CredentialTable items={result} isFiltered={provider !== undefined} />
              <OffsetPages pagination={meta.pagination} />
            </>
          )}
        </Loaded>
      </Panel>
    </Section>
  )
}

function AddCredential() {
  if (!useMay('credentials:write')) return <Soft>This key does not have the scope credentials:write.</Soft>
  return (
    <ButtonLink to="/sign-in/credentials/new" tone="primary" icon="plus">
      Add credential
    </ButtonLink>
  )
}

const columns: Column<Credential>[] = [
  { head: 'Provider', cell: ({ provider }) => <ProviderName provider={provider} /> },
  { head: 'Label', cell: ({ label }) => (label ? <ShortText>{label}</ShortText> : <Soft>none</Soft>) },
  { head: 'Client ID', cell: ({ client_id }) => <Copyable text={client_id} of="client ID" /> },
  { head: 'State', cell: ({ active }) => <CredentialState isActive={active} /> },
]

function CredentialTable({ items, isFiltered }: { items: readonly Credential[]; isFiltered: boolean }) {
  const empty = isFiltered ? (
    <Empty title="No credential of this provider" icon="sign-in" />
  ) : (
    <Empty title="No credentials yet" icon="sign-in">
      Register Signet as a client at a provider, and enter here what it gave you. Persons then sign in there.
    </Empty>
  )
  return (
    <Table
      {...{ caption: 'Credentials', columns, items, empty }}
      keyOf={({ client_id }) => client_id}
      linkOf={({ client_id }) => credentialPath(client_id)}
    />
  )
}
