import { Tabs } from '../design/tabs.tsx'

export const KeysTabs = () => (
  <Tabs
    label="Keys"
    tabs={[
      { to: '/keys', name: 'API keys' },
      { to: '/keys/verification', name: 'Verification keys' },
    ]}
  />
)
