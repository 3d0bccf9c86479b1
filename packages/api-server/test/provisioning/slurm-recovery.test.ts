import { recoveryCases } from './recovery-suite.ts'
import { stubCluster } from './stub-cluster.ts'

recoveryCases('batch_scheduler', stubCluster)
