import { clusterCases } from './cluster-suite.ts'
import { stubCluster } from './stub-cluster.ts'

clusterCases('batch_scheduler', stubCluster)
