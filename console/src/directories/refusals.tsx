import type { DirectoryRefusal } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { Panel } from '../design/page.tsx'
import { Empty, Loaded } from '../design/state.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Text } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { signet } from '../service/signet.ts'
import styles from './refusals.module.css'

/** What the directory asked for and did not get. */
export function Refusals({ directoryId: id }: { directoryId: string }) {
  const refusals = useQuery({
    queryKey: ['listDirectoryRefusals', id],
    queryFn: async ({ signal }) => (await signet.listDirectoryRefusals({ path: { id }, signal })).result,
  })
  return (
    <Panel
      title="Refused requests"
      description="The newest 100, with the reason that the directory was given. Most clients try again by themselves."
      flush
    >
      <Loaded query={refusals}>
        {(items) => (
          <Table
            items={items}
            caption="Refused requests"
            columns={columns}
            empty={<Empty title="Nothing was refused." icon="check" />}
            keyOf={({ at, path }, place) => `${at} ${path} ${place}`}
          />
        )}
      </Loaded>
    </Panel>
  )
}

const columns: Column<DirectoryRefusal>[] = [
  { head: 'Request', cell: ({ method, path }) => <Request text={`${method} ${path}`} /> },
  { head: 'Status', cell: ({ status }) => status },
  { head: 'Why', cell: ({ detail }) => <Text>{detail}</Text> },
  { head: 'When', cell: ({ at }) => <Ago at={at} /> },
]

const Request = ({ text }: { text: string }) => (
  <code className={styles.request}>
    <Text>{text}</Text>
  </code>
)
