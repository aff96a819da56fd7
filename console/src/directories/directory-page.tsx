import type { CountedDirectory } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { ChangesLink } from '../calls/changes-link.tsx'
import { ButtonLink } from '../design/button.tsx'
import { Page, Row } from '../design/page.tsx'
import { Loaded } from '../design/state.tsx'
import { Tabs } from '../design/tabs.tsx'
import { ShortText } from '../design/text.tsx'
import { Outlet, useOutletContext, useParams } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { useMay } from '../session/session.ts'
import { directoryPath } from '../sign-in/paths.ts'
import { DirectoryState } from './directory-state.tsx'

export function Component() {
  const { id = '' } = useParams()
  return <DirectoryPage key={id} id={id} />
}

/** What stands above all parts of one directory. */
function DirectoryPage({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['getDirectory', id],
    queryFn: ({ signal }) => signet.getDirectory({ path: { id }, signal }),
    select: ({ result }) => result,
  })
  const directory = query.data
  const tabs = [
    { to: directoryPath(id), name: 'Overview' },
    { to: `${directoryPath(id)}/groups`, name: 'Groups', ...(directory && { count: directory.groups_count }) },
    { to: `${directoryPath(id)}/settings`, name: 'Settings' },
  ]
  return (
    <Page
      title={directory?.name ?? 'Directory'}
      heading={directory && <Heading directory={directory} />}
      parent={{ to: '/sign-in/directories', name: 'Directories' }}
      actions={
        directory && (
          <>
            <DoneLink id={directory.id} />
            <ChangesLink target={directory.id} />
          </>
        )
      }
    >
      <Tabs label="Directory" tabs={tabs} />
      <Loaded query={query}>{(shown) => <Outlet context={shown} />}</Loaded>
    </Page>
  )
}

const Heading = ({ directory }: { directory: CountedDirectory }) => (
  <Row>
    <ShortText>{directory.name}</ShortText>
    <DirectoryState directory={directory} />
  </Row>
)

/** Leads to what the directory has changed: whom it made, adopted, switched off. */
const DoneLink = ({ id }: { id: string }) =>
  useMay('audit-log:read') && (
    <ButtonLink to={`/audit-log?actor=${id}`} tone="quiet" icon="events">
      What it did
    </ButtonLink>
  )

/** The directory of the page, for its parts. */
export const useDirectory = () => useOutletContext<CountedDirectory>()
