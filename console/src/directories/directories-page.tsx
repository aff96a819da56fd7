import type { CountedDirectory } from '@signet/management'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ExportCsv } from '../calls/export-csv.tsx'
import { CreateLink } from '../calls/lacking.tsx'
import { List } from '../design/list.tsx'
import { Panel } from '../design/page.tsx'
import { useOffsetPage } from '../design/pages.tsx'
import { Empty } from '../design/state.tsx'
import type { Column } from '../design/table.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { signet } from '../service/signet.ts'
import { directoryPath } from '../sign-in/paths.ts'
import { Section } from '../sign-in/section.tsx'
import { CredentialName } from './credential-name.tsx'
import styles from './directories-page.module.css'
import { DirectoryState } from './directory-state.tsx'

export function Component() {
  const query = useOffsetPage()
  const directories = useQuery({
    queryKey: ['listDirectories', query],
    queryFn: ({ signal }) => signet.listDirectories({ query, signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <Section
      lead="The directory of a customer, such as Okta or Microsoft Entra ID, keeps its persons and groups here by SCIM: whoever is switched off there cannot sign in here."
      actions={
        <CreateLink to="/sign-in/directories/new" scope="directories:write">
          Create directory
        </CreateLink>
      }
    >
      <Panel flush>
        <List
          query={directories}
          actions={<ExportCsv name="directories" path="/organizations/directories" />}
          caption="Directories"
          columns={columns}
          empty={none}
          keyOf={({ id }) => id}
          linkOf={({ id }) => directoryPath(id)}
        />
      </Panel>
    </Section>
  )
}

const columns: Column<CountedDirectory>[] = [
  { head: 'Name', cell: ({ name }) => <ShortText>{name}</ShortText> },
  { head: 'Sign-in with', cell: ({ oauth_client_id }) => <CredentialName clientId={oauth_client_id} /> },
  { head: 'State', cell: (directory) => <DirectoryState directory={directory} /> },
  { head: 'Users', cell: ({ users_count }) => users_count.toLocaleString(), align: 'end' },
  { head: 'Groups', cell: ({ groups_count }) => groups_count.toLocaleString(), align: 'end' },
  { head: 'Last request', cell: ({ last_request_at: at }) => (at ? <Ago at={at} /> : <Soft>never</Soft>) },
  {
    head: 'Refused last',
    cell: ({ last_refusal: refusal }) => (refusal ? <Refused why={refusal.detail} /> : <Soft>nothing</Soft>),
    minor: true,
  },
]

/** The other columns are short. */
const Refused = ({ why }: { why: string }) => (
  <span className={styles.refused}>
    <ShortText>{why}</ShortText>
  </span>
)

const none = (
  <Empty title="There are no directories yet." icon="persons">
    Create one for the customer whose Okta or Microsoft Entra ID is to make persons and groups, change them, and switch
    them off.
  </Empty>
)
