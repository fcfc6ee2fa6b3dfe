from glossa._glossa import *
